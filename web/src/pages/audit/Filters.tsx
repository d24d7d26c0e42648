import { CloseButton, Group, Pill, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usersQuery } from "~/people/api";
import type { Span } from "./search";

const SPAN_LABELS = [
  { value: "", label: "All" },
  { value: "month", label: "30 days" },
  { value: "week", label: "7 days" },
  { value: "day", label: "24 hours" },
];

export function Filters() {
  const { span = "" } = useSearch({ from: "/audit" });
  const navigate = useNavigate({ from: "/audit" });
  return (
    <Group gap="sm" mb="md">
      <SearchField />
      <SegmentedControl
        aria-label="Period"
        size="xs"
        data={SPAN_LABELS}
        value={span}
        onChange={(next) =>
          void navigate({ search: (now) => ({ ...now, span: (next as Span) || undefined }) })
        }
      />
      <PersonFilter />
    </Group>
  );
}

function SearchField() {
  const { search = "" } = useSearch({ from: "/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const [text, setText] = useState(search);
  const find = useDebouncedCallback((next: string) => {
    void navigate({ search: (now) => ({ ...now, search: next || undefined }), replace: true });
  }, 250);
  const change = (next: string) => {
    setText(next);
    find(next);
  };
  return (
    <TextInput
      aria-label="Search the log"
      placeholder="Search by name, action, id or address"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear" onClick={() => change("")} />}
      w={320}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** Limits the log to one person. */
function PersonFilter() {
  const { user = "" } = useSearch({ from: "/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const { data } = useQuery({ ...usersQuery(""), enabled: Boolean(user) });
  if (!user) return null;
  const name = data?.items.find((person) => person.id === user)?.name ?? user;
  return (
    <Pill
      withRemoveButton
      size="md"
      onRemove={() => void navigate({ search: (now) => ({ ...now, user: undefined }) })}
      removeButtonProps={{
        "aria-label": `Show all people, not only ${name}`,
        "aria-hidden": false,
        tabIndex: 0,
      }}
    >
      by {name}
    </Pill>
  );
}
