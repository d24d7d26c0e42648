import { Button, Tabs, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { usersQuery } from "~/people/api";
import { InviteDialog } from "./InviteDialog";
import { LimitsTab } from "./LimitsTab";
import { SettingsTab } from "./SettingsTab";
import { StorageTab } from "./StorageTab";
import type { UsersTab } from "./search";
import { UsageTab } from "./UsageTab";
import { UserPanel } from "./UserPanel";
import { UserTable } from "./UserTable";

/** All accounts, managed by administrators. */
export function Users() {
  const { search, tab = "people", dialog } = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const go = (next: string | null) =>
    void navigate({ search: next === "people" ? {} : { tab: next as UsersTab } });
  return (
    <Page
      title="Users"
      lead="Everyone with an account. You manage accounts and limits; people's work stays private."
      actions={<InviteButton />}
    >
      <Tabs value={tab} onChange={go} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="people">People</Tabs.Tab>
          <Tabs.Tab value="use">Usage</Tabs.Tab>
          <Tabs.Tab value="limits">Limits</Tabs.Tab>
          <Tabs.Tab value="storage">Storage</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="people">
          <PeopleTab />
        </Tabs.Panel>
        <Tabs.Panel value="use">
          <UsageTab />
        </Tabs.Panel>
        <Tabs.Panel value="limits">
          <LimitsTab />
        </Tabs.Panel>
        <Tabs.Panel value="storage">
          <StorageTab />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab />
        </Tabs.Panel>
      </Tabs>
      {dialog === "invite" && (
        <InviteDialog onClose={() => void navigate({ search: { search } })} />
      )}
    </Page>
  );
}

function PeopleTab() {
  const { search = "", user } = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const query = useQuery({ ...usersQuery(search), placeholderData: keepPreviousData });
  const close = () => void navigate({ search: search ? { search } : {} });
  return (
    <>
      <SearchField />
      <QueryResult query={query} loading={<SkeletonLines count={6} height={40} />}>
        {({ items }) =>
          items.length ? (
            <UserTable users={items} />
          ) : (
            <EmptyState icon={IconUsers} title="No matching people">
              Try part of a name or e-mail address.
            </EmptyState>
          )
        }
      </QueryResult>
      {user && <UserPanel key={user} id={user} onClose={close} />}
    </>
  );
}

function InviteButton() {
  return (
    <Button
      leftSection={<IconUserPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/users" search={{ dialog: "invite" }} {...props} />}
    >
      Invite
    </Button>
  );
}

function SearchField() {
  const { search = "" } = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const [text, setText] = useState(search);
  const find = useDebouncedCallback((next: string) => {
    void navigate({ search: (now) => ({ ...now, search: next || undefined }), replace: true });
  }, 250);
  return (
    <TextInput
      aria-label="Search people"
      placeholder="Search by name or e-mail address"
      leftSection={<IconSearch size={16} aria-hidden />}
      maw={420}
      mb="md"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        find(event.currentTarget.value);
      }}
    />
  );
}
