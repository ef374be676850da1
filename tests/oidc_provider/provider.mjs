// The authorization server and OpenID provider of the tests: npm oidc-provider with its own pages to sign in and to consent.
// $1 is the folder of the packages; $2 and $3 are a port, and clients that are known after a restart as well. A token for a
// resource whose path ends in /brief expires after two seconds. Users are in the group "staff", until a POST to
// /test/groups/NAME says otherwise; one without a list of groups has left. It vouches for its users towards the authorization
// servers that a POST to /test/servers names, each with the group that opens it (ID-JAG). ID tokens live for the seconds of the
// last POST to /test/seconds.
import { createServer } from "node:http"

const [packages, port = "0", clients = "[]"] = process.argv.slice(2)
const { default: Provider, errors } = await import(`${packages}/oidc-provider/lib/index.js`)
const { default: parts } = await import(`${packages}/oidc-provider/lib/helpers/weak_cache.js`)
const { sign } = await import(`${packages}/oidc-provider/lib/helpers/jwt.js`)

const DOCUMENT = /^https:\/\/client\.test\/(\d+)\.json$/
const SCOPES = ["mcp:use", "mcp:write"]
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
const groups = new Map()
const groupsOf = (id) => (groups.has(id) ? groups.get(id) : ["staff"])
let servers = {}
let seconds = 3600

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
  return { accountId: id, claims: async () => ({ ...claims, groups: groupsOf(id) }) }
}

// What the company decides about the server behind `audience`, for the user of an ID token.
async function vouch(provider, ctx) {
  const { client, params } = ctx.oidc
  if (params.requested_token_type !== ID_JAG) throw new errors.InvalidRequest("another type")
  const { payload } = await provider.IdToken.validate(params.subject_token, client).catch(() => {
    throw new errors.InvalidGrant("not an ID token")
  })
  if (payload.exp < Date.now() / 1000) throw new errors.InvalidGrant("an old ID token")
  const theirs = groupsOf(payload.sub)
  const server = servers[params.audience]
  if (!server) throw new errors.CustomOIDCProviderError("invalid_target", "an unknown server")
  if (!theirs?.includes(server.group)) throw new errors.AccessDenied()
  const { keystore } = parts(provider)
  const [jwk] = keystore.selectForSign({ alg: "RS256", use: "sig" })
  const claims = { jti: crypto.randomUUID(), client_id: server.client, resource: params.resource, scope: params.scope }
  const options = { issuer: provider.issuer, audience: params.audience, subject: payload.sub, expiresIn: 300 }
  const fields = { typ: "oauth-id-jag+jwt", kid: jwk.kid }
  const assertion = await sign(claims, keystore.getKeyObject(jwk), "RS256", { ...options, fields })
  ctx.body = { access_token: assertion, issued_token_type: ID_JAG, token_type: "N_A", expires_in: 300 }
}

function remember(about, body) {
  if (about === "servers") servers = { ...servers, ...body }
  else if (about === "seconds") seconds = body
  else groups.set(about.slice("groups/".length), body)
}

const http = createServer().listen(Number(port), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${http.address().port}`
  const provider = new Provider(issuer, {
    clients: JSON.parse(clients),
    scopes: ["openid", "offline_access", "profile", "email", "groups"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
    findAccount: async (_ctx, id) => (groupsOf(id) ? account(id) : undefined),
    ttl: { IdToken: () => seconds },
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
  const exchanged = ["audience", "resource", "scope", "requested_token_type", "subject_token", "subject_token_type"]
  provider.registerGrantType(EXCHANGE, (ctx) => vouch(provider, ctx), exchanged)
  const answer = provider.callback()
  http.on("request", async (request, response) => {
    const [, about] = request.url.match(/^\/test\/(groups\/\w+|servers|seconds)$/) ?? []
    if (!about) return answer(request, response)
    let body = ""
    for await (const piece of request) body += piece
    remember(about, JSON.parse(body))
    response.end()
  })
  console.log(`Listening: ${issuer}`)
})
