import { Anchor } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";

/** To the list that something is part of. */
export function BackLink({ to, label }: { to: LinkProps["to"]; label: string }) {
  return (
    <Anchor
      size="sm"
      mt="md"
      display="inline-block"
      renderRoot={(props) => <Link to={to} {...props} />}
    >
      {label}
    </Anchor>
  );
}
