import { Checkbox, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { meQuery } from "~/people/me";

type Scope = Schemas["Me"]["scopes"][number];

const ABOUT: Record<Scope, string> = {
  read: "View everything you can see",
  run: "Submit, cancel and retry jobs",
  manage: "Change endpoints, secrets, projects, sharing, settings and tokens",
  admin: "Manage people, as an administrator",
};

type ChoiceProps = { scopes: Scope[]; onChange: (scopes: Scope[]) => void };

/** Permissions of a token: never more than its creator has. */
export function ScopeChoice({ scopes, onChange }: ChoiceProps) {
  const { data: me } = useQuery(meQuery);
  return (
    <Checkbox.Group
      label="Permissions"
      description="Grant only what the program needs. Permissions do not include each other."
      value={scopes}
      onChange={(chosen) => onChange(chosen as Scope[])}
    >
      <Stack gap={6} mt="xs">
        {(Object.keys(ABOUT) as Scope[])
          .filter((scope) => me?.scopes.includes(scope) && (scope !== "admin" || me.is_admin))
          .map((scope) => (
            <Checkbox key={scope} size="xs" value={scope} label={`${scope}: ${ABOUT[scope]}`} />
          ))}
      </Stack>
    </Checkbox.Group>
  );
}
