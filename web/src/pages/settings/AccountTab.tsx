import { useQuery } from "@tanstack/react-query";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { meQuery } from "~/people/me";
import { SessionTable } from "~/people/SessionTable";
import { Identities } from "./Identities";

/** Sign-in methods, and browsers that are signed in. */
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
  const end = useAction({
    call: (session: string) =>
      dataOf(api.DELETE("/api/v1/me/sessions/{session}", { params: { path: { session } } })),
    refresh: [keys.sessions],
    success: "Browser signed out",
    onError: showError,
  });
  return (
    <Section
      title="Browsers"
      about="Where you are signed in. If you do not recognize a browser, sign it out and secure your account with your sign-in provider."
    >
      <QueryResult query={query}>
        {({ items }) => <SessionTable sessions={items} onEnd={(id) => end.run(id)} />}
      </QueryResult>
    </Section>
  );
}
