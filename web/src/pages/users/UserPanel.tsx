import { Anchor, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { askLimits } from "~/api/limits";
import { keys, meQuery } from "~/api/queries";
import { askUsers, type User, type UserPage, userQuery, userSessionsQuery } from "~/api/users";
import { Answer, Lines } from "~/components/Answer";
import { Ask } from "~/components/Ask";
import { SessionTable } from "~/components/SessionTable";
import { sayFailed } from "~/components/say";
import { Ago } from "~/components/Time";
import { useDeed } from "~/components/useDeed";
import { count } from "~/lib/format";
import { LimitsForm } from "~/limits/LimitsForm";
import { UseBars } from "~/limits/UseBars";
import { AccountBadges } from "./UserTable";

/** One person's account: what she is, what she uses and may use, where she is signed in. */
export function UserPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(userQuery(id));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={query.data?.name ?? "…"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Answer query={query} loading={<Lines count={8} />}>
        {(user) => <Account user={user} />}
      </Answer>
    </Drawer>
  );
}

function Account({ user }: { user: UserPage }) {
  const { data: me } = useQuery(meQuery);
  return (
    <Stack gap="lg">
      <div>
        <AccountBadges user={user} />
        <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
          {user.email || "no address"} · {user.id}
        </Text>
        <Text size="sm" mt={4}>
          {count(user.endpoints, "endpoint")}, {count(user.tokens, "token")},{" "}
          <Anchor
            inherit
            renderRoot={(props) => <Link to="/audit" search={{ user: user.id }} {...props} />}
          >
            audit log
          </Anchor>
        </Text>
      </div>
      {me && me.id !== user.id ? (
        <AccountDeeds user={user} />
      ) : (
        <Text size="sm">This is your own account. Another administrator can change it.</Text>
      )}
      <section aria-label="Usage and limits">
        <Title order={2} mb="xs">
          Usage and limits
        </Title>
        <Stack gap="md">
          <UseBars use={user.use} limits={user.limits} />
          <LimitsForm
            kept={user.own_limits ? user.limits : {}}
            save={(limits) => askLimits.persons(user.id, limits)}
          />
          <Text size="xs" c="dimmed">
            {user.own_limits
              ? "Individual limits. Clear all three fields to use the default limits."
              : "Leave empty to use the default limits."}
          </Text>
        </Stack>
      </section>
      {user.projects.length > 0 && (
        <section aria-label="Projects">
          <Title order={2} mb="xs">
            Projects
          </Title>
          <Text size="sm">
            {user.projects.map((one) => `${one.name} (${one.role})`).join(", ")}
          </Text>
        </section>
      )}
      <Sessions user={user} />
    </Stack>
  );
}

function AccountDeeds({ user }: { user: User }) {
  const [asked, ask] = useState(false);
  const change = useDeed({
    by: (body: Parameters<typeof askUsers.change>[1]) => askUsers.change(user.id, body),
    renews: [keys.users],
    done: "Account updated.",
    onDone: () => ask(false),
    onError: asked ? undefined : sayFailed,
  });
  return (
    <Group gap="xs">
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => change.run({ is_admin: !user.is_admin })}
      >
        {user.is_admin ? "Remove administrator rights" : "Make administrator"}
      </Button>
      {user.disabled != null ? (
        <Button variant="default" onClick={() => change.run({ disabled: false })}>
          Enable account
        </Button>
      ) : (
        <Button variant="light" color="red" onClick={() => ask(true)}>
          Disable account…
        </Button>
      )}
      {asked && (
        <Ask
          title={`Disable the account of ${user.name}?`}
          deed="Disable"
          danger
          isPending={change.isPending}
          error={change.error}
          onDo={() => change.run({ disabled: true })}
          onClose={() => ask(false)}
        >
          <Text size="sm">
            All browsers are signed out, and tokens and agents are rejected immediately. Running
            jobs finish on their machines and are reported once the account is enabled again.
            Nothing is deleted.
          </Text>
        </Ask>
      )}
    </Group>
  );
}

function Sessions({ user }: { user: User }) {
  const query = useQuery(userSessionsQuery(user.id));
  const end = useDeed({
    by: () => askUsers.signOut(user.id),
    renews: [keys.users],
    done: `${user.name} signed out everywhere`,
    onError: sayFailed,
  });
  const endOne = useDeed({
    by: (session: string) => askUsers.endSession(user.id, session),
    renews: [keys.users],
    done: "Browser signed out",
    onError: sayFailed,
  });
  return (
    <section aria-label="Browsers">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Browsers</Title>
        <Button
          size="xs"
          variant="default"
          disabled={!query.data?.items.length}
          loading={end.isPending}
          onClick={() => end.run()}
        >
          Sign out everywhere
        </Button>
      </Group>
      <Answer query={query} loading={<Lines count={2} />}>
        {({ items }) => <SessionTable sessions={items} onEnd={(id) => endOne.run(id)} />}
      </Answer>
      {user.disabled != null && (
        <Text size="sm" c="dimmed" mt="xs">
          Disabled <Ago at={user.disabled} />.
        </Text>
      )}
    </section>
  );
}
