// The authorization server of the tests: npm oidc-provider with its own pages to sign in and to consent. $1 is the folder
// of the packages. A token for a resource whose path ends in /brief expires after two seconds.
import { createServer } from "node:http"

const [packages] = process.argv.slice(2)
const { default: Provider } = await import(`${packages}/oidc-provider/lib/index.js`)

const DOCUMENT = /^https:\/\/client\.test\/(\d+)\.json$/
const SCOPES = ["mcp:use", "mcp:write"]

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

const http = createServer().listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${http.address().port}`
  const provider = new Provider(issuer, {
    scopes: ["openid", "offline_access"],
    clientDefaults: { token_endpoint_auth_method: "none" },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    fetch: async (url) => described(String(url)),
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
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
  http.on("request", provider.callback())
  console.log(`Listening: ${issuer}`)
})
