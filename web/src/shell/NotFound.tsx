import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={IconMapOff}
        title="Page not found"
        action={
          <Button renderRoot={(props) => <Link to="/" {...props} />}>Go to the dashboard</Button>
        }
      >
        The address may be mistyped, or the item may have been deleted.
      </EmptyState>
    </Page>
  );
}
