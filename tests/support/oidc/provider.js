// A real OpenID provider on loopback, for the tests: who signs in is what the form says, and the part before a dot says how.
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const told = JSON.parse(readFileSync(process.argv[2], "utf8"));

function claims(login) {
  const [name] = login.split("@");
  const words = name.split(".");
  return {
    sub: login,
    name: words[0],
    email: login,
    email_verified: !words.includes("unverified"),
    idp: login.endsWith("@campus.example") ? "https://idp.campus.example" : undefined,
    groups: words.includes("astro") ? ["astro"] : [],
  };
}

const provider = new Provider(told.issuer, {
  clients: [
    {
      client_id: "diamond",
      client_secret: "a-secret-of-the-tests",
      redirect_uris: told.redirects,
      post_logout_redirect_uris: told.back,
    },
  ],
  jwks: told.jwks,
  claims: {
    openid: ["sub", "auth_time", "acr", "amr"],
    email: ["email", "email_verified"],
    profile: ["name", "idp", "groups"],
  },
  findAccount: (_ctx, login) => ({ accountId: login, claims: () => claims(login) }),
  features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  cookies: { keys: ["only-for-tests"] },
  pkce: { required: () => true },
});

provider.listen(told.port, "127.0.0.1", () => console.log("ready"));
