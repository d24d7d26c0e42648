import { useQuery } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys, meQuery } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";
import { SessionTable } from "~/components/SessionTable";
import { sayFailed } from "~/components/say";
import { useDeed } from "~/components/useDeed";
import { Identities } from "./Identities";

/** How the person signs in, and the browsers in which she is. */
export function AccountTab() {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      {me?.mode === "shared" && <Identities />}
      <Sessions />
    </>
  );
}

function Sessions() {
  const query = useQuery({
    queryKey: keys.sessions,
    queryFn: () => dataOf(api.GET("/api/v1/me/sessions")),
  });
  const end = useDeed({
    by: (session: string) =>
      dataOf(api.DELETE("/api/v1/me/sessions/{session}", { params: { path: { session } } })),
    renews: [keys.sessions],
    done: "Browser signed out",
    onError: sayFailed,
  });
  return (
    <Section
      title="Browsers"
      about="Where you are signed in. If you do not recognize a browser, sign it out and secure your account with your sign-in provider."
    >
      <Answer query={query}>
        {({ items }) => <SessionTable sessions={items} onEnd={(id) => end.run(id)} />}
      </Answer>
    </Section>
  );
}
