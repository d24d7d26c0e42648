import { Button, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usersQuery } from "~/api/users";
import { Answer, Empty, Lines } from "~/components/Answer";
import { Page } from "~/components/Page";
import { InviteDialog } from "./InviteDialog";
import { UserPanel } from "./UserPanel";
import { UserTable } from "./UserTable";

/** Everybody who has an account: administrators look after them here. */
export function Users() {
  const { search = "", user, dialog } = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const query = useQuery({ ...usersQuery(search), placeholderData: keepPreviousData });
  const chosen = query.data?.items.find((one) => one.id === user);
  const close = () => void navigate({ search: search ? { search } : {} });
  return (
    <Page
      title="Users"
      lead="Everybody who has an account here. You look after people, not after their work: that stays theirs."
      actions={<InviteButton />}
    >
      <SearchField />
      <Answer query={query} loading={<Lines count={6} height={40} />}>
        {({ items }) =>
          items.length ? (
            <UserTable users={items} />
          ) : (
            <Empty icon={IconUsers} title="Nobody fits">
              Try a part of the name or of the address.
            </Empty>
          )
        }
      </Answer>
      {chosen && <UserPanel user={chosen} onClose={close} />}
      {dialog === "invite" && <InviteDialog onClose={close} />}
    </Page>
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
  const [words, setWords] = useState(search);
  const find = useDebouncedCallback((next: string) => {
    void navigate({ search: next ? { search: next } : {}, replace: true });
  }, 250);
  return (
    <TextInput
      aria-label="Search people"
      placeholder="A part of a name or an address"
      leftSection={<IconSearch size={16} aria-hidden />}
      maw={420}
      mb="md"
      value={words}
      onChange={(event) => {
        setWords(event.currentTarget.value);
        find(event.currentTarget.value);
      }}
    />
  );
}
