import { Button, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { wayTo } from "./way";

/** One button for each provider; it leads away and comes back to this very view. */
export function Providers({ items }: { items: Schemas["SignInProvider"][] }) {
  return (
    <>
      <Text size="sm">Sign in where you are known already. Signing in alone makes no account.</Text>
      {items.map((one) => (
        <Button key={one.name} component="a" href={wayTo(one.url, window.location)} size="md">
          Sign in with {one.title}
        </Button>
      ))}
    </>
  );
}
