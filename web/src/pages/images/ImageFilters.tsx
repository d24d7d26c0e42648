import { CloseButton, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { endpointsQuery } from "~/endpoints/queries";
import { meQuery } from "~/people/me";
import type { ImagesSearch } from "./search";

const TYPING_PAUSE = 250;
const OWNERS = [
  { value: "mine", label: "Mine" },
  { value: "others", label: "Shared with me" },
];

/** Filters, stored in the address. */
export function ImageFilters() {
  const { search = "", endpoint, shared } = useSearch({ from: "/images" });
  const navigate = useNavigate({ from: "/images" });
  const { data } = useQuery(endpointsQuery);
  const { data: me } = useQuery(meQuery);
  const set = (part: ImagesSearch) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  return (
    <search>
      <Group gap="xs">
        <SearchField value={search} onChange={(text) => set({ search: text || undefined })} />
        <Select
          aria-label="Endpoint"
          placeholder="Any endpoint"
          w={190}
          data={(data?.items ?? []).map((endpoint) => endpoint.name)}
          value={endpoint ?? null}
          onChange={(name) => set({ endpoint: name ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": "Any endpoint" }}
        />
        {me?.mode === "shared" && (
          <SegmentedControl
            aria-label="Owner"
            size="xs"
            data={OWNERS}
            value={shared ? "others" : "mine"}
            onChange={(whose) => set({ shared: whose === "others" ? true : undefined })}
          />
        )}
      </Group>
    </search>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const later = useDebouncedCallback(onChange, TYPING_PAUSE);
  const type = (text: string) => {
    setTyped(text);
    later(text.trim());
  };
  return (
    <TextInput
      aria-label="Search images"
      placeholder="Search by name, package, base or digest"
      w={300}
      maw="100%"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      rightSection={
        typed ? <CloseButton size="sm" aria-label="Clear search" onClick={() => type("")} /> : null
      }
    />
  );
}
