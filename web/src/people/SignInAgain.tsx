import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { signInQuery } from "./signInQuery";
import { signInUrl } from "./signInUrl";

/** Signs in again and returns to the current page. */
export default function SignInAgain() {
  const { data } = useQuery(signInQuery);
  return (
    <Group gap="xs">
      {(data?.items ?? []).map((provider) => (
        <Button
          key={provider.name}
          component="a"
          href={signInUrl(provider.url, window.location, "again")}
          size="xs"
          variant="default"
        >
          Sign in again with {provider.title}
        </Button>
      ))}
    </Group>
  );
}
