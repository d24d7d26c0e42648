import { Anchor, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { count } from "~/lib/format";
import { limitsApi } from "~/limits/api";
import { LimitsForm } from "~/limits/LimitsForm";
import { UsageBars } from "~/limits/UsageBars";
import { type User, type UserPage, userQuery, userSessionsQuery, usersApi } from "~/people/api";
import { meQuery } from "~/people/me";
import { SessionTable } from "~/people/SessionTable";
import { AccountBadges } from "./UserTable";

/** One person's account: role, usage, limits and sessions. */
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
      <QueryResult query={query} loading={<SkeletonLines count={8} />}>
        {(user) => <Account user={user} />}
      </QueryResult>
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
        <AccountActions user={user} />
      ) : (
        <Text size="sm">This is your own account. Another administrator can change it.</Text>
      )}
      <section aria-label="Usage and limits">
        <Title order={2} mb="xs">
          Usage and limits
        </Title>
        <Stack gap="md">
          <UsageBars use={user.use} limits={user.limits} />
          <LimitsForm
            saved={user.own_limits ? user.limits : {}}
            save={(limits) => limitsApi.setForPerson(user.id, limits)}
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
            {user.projects.map((project) => `${project.name} (${project.role})`).join(", ")}
          </Text>
        </section>
      )}
      <Sessions user={user} />
    </Stack>
  );
}

function AccountActions({ user }: { user: User }) {
  const [isConfirming, setConfirming] = useState(false);
  const change = useAction({
    call: (body: Parameters<typeof usersApi.change>[1]) => usersApi.change(user.id, body),
    refresh: [keys.users],
    success: "Account updated.",
    onSuccess: () => setConfirming(false),
    onError: isConfirming ? undefined : showError,
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
        <Button variant="light" color="red" onClick={() => setConfirming(true)}>
          Disable account…
        </Button>
      )}
      {isConfirming && (
        <FormDialog
          title={`Disable the account of ${user.name}?`}
          submitLabel="Disable"
          danger
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => change.run({ disabled: true })}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">
            All browsers are signed out, and tokens and agents are rejected immediately. Running
            jobs finish on their machines and are reported once the account is enabled again.
            Nothing is deleted.
          </Text>
        </FormDialog>
      )}
    </Group>
  );
}

function Sessions({ user }: { user: User }) {
  const query = useQuery(userSessionsQuery(user.id));
  const end = useAction({
    call: () => usersApi.signOut(user.id),
    refresh: [keys.users],
    success: `${user.name} signed out everywhere`,
    onError: showError,
  });
  const endOne = useAction({
    call: (session: string) => usersApi.endSession(user.id, session),
    refresh: [keys.users],
    success: "Browser signed out",
    onError: showError,
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
      <QueryResult query={query} loading={<SkeletonLines count={2} />}>
        {({ items }) => <SessionTable sessions={items} onEnd={(id) => endOne.run(id)} />}
      </QueryResult>
      {user.disabled != null && (
        <Text size="sm" c="dimmed" mt="xs">
          Disabled <TimeAgo at={user.disabled} />.
        </Text>
      )}
    </section>
  );
}
