// The authorization server and OpenID provider of the tests: npm oidc-provider with its own pages to sign in and to consent.
// $1 is the folder of the packages; $2 and $3 are a port, and clients that are known after a restart as well. A token for a
// resource whose path ends in /brief expires after two seconds. Users are in the group "staff", until a POST to
// /test/groups/NAME says otherwise.
import { createServer } from "node:http"

const [packages, port = "0", clients = "[]"] = process.argv.slice(2)
const { default: Provider } = await import(`${packages}/oidc-provider/lib/index.js`)

const DOCUMENT = /^https:\/\/client\.test\/(\d+)\.json$/
const SCOPES = ["mcp:use", "mcp:write"]
const groups = new Map()

// The metadata document of a client at the port in its name; in place of one on the web, which tests do not reach.
function described(url) {
  const port = url.match(DOCUMENT)?.[1]
  if (!port) return new Response("", { status: 404 })
  return Response.json({
    client_id: url,
    client_name: "A client by its document",
    redirect_uris: ["127.0.0.1", "localhost"].map((name) => `http://${name}:${port}/oauth/callback`),
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  })
}

// Everything of these tests is on this machine, where the provider's own way to fetch does not go.
function fetched(url, { method, headers, body }) {
  return new URL(url).hostname === "127.0.0.1" ? fetch(url, { method, headers, body }) : described(String(url))
}

function account(id) {
  const claims = { sub: id, name: id.toUpperCase(), email: `${id}@corp.example`, email_verified: true }
  return { accountId: id, claims: async () => ({ ...claims, groups: groups.get(id) ?? ["staff"] }) }
}

const http = createServer().listen(Number(port), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${http.address().port}`
  const provider = new Provider(issuer, {
    clients: JSON.parse(clients),
    scopes: ["openid", "offline_access", "profile", "email", "groups"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
    findAccount: async (_ctx, id) => account(id),
    clientDefaults: { token_endpoint_auth_method: "none" },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    fetch: async (url, options) => fetched(url, options),
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      backchannelLogout: { enabled: true },
      // For those that send proofs.
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => true },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: SCOPES.join(" "),
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: resource.endsWith("/brief") ? 2 : 3600,
        }),
        useGrantedResource: () => true,
      },
    },
  })
  const answer = provider.callback()
  http.on("request", async (request, response) => {
    const [, user] = request.url.match(/^\/test\/groups\/(\w+)$/) ?? []
    if (!user) return answer(request, response)
    let body = ""
    for await (const piece of request) body += piece
    groups.set(user, JSON.parse(body))
    response.end()
  })
  console.log(`Listening: ${issuer}`)
})
