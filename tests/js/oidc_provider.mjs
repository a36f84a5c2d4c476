// An identity provider for tests: oidc-provider, whose maker has it certified by the OpenID Foundation. It prints one line
// once it listens. Any login is a person whose claims stand in the file that is its second argument; the form is its own.
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const [port, peopleFile, back] = process.argv.slice(2);
const people = () => JSON.parse(readFileSync(peopleFile, "utf8"));
const issuer = `http://localhost:${port}`;

const provider = new Provider(issuer, {
  clients: [{
    client_id: "pit-console",
    client_secret: "a secret of the tests, and of nothing else",
    redirect_uris: [`${back}/sign-in/provider/answer`],
    post_logout_redirect_uris: [`${back}/sign-in`],
    grant_types: ["authorization_code"],
    response_types: ["code"],
  }],
  cookies: { keys: ["tests"] },
  claims: { openid: ["sub"], profile: ["name", "employee_number", "groups"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people()[sub] }) }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log(`listening ${issuer}`));
