import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { wayTo } from "~/pages/sign-in/way";
import { waysQuery } from "~/pages/sign-in/ways";

/** The way to prove oneself anew, and back to this very view. */
export default function SignInAgain() {
  const { data } = useQuery(waysQuery);
  return (
    <Group gap="xs">
      {(data?.items ?? []).map((one) => (
        <Button
          key={one.name}
          component="a"
          href={wayTo(one.url, window.location, "again")}
          size="xs"
          variant="default"
        >
          Sign in again with {one.title}
        </Button>
      ))}
    </Group>
  );
}
