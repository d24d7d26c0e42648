import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Empty } from "~/components/Answer";
import { Page } from "~/components/Page";

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon={IconMapOff}
        title="There is no such page"
        action={
          <Button renderRoot={(props) => <Link to="/" {...props} />}>Go to the dashboard</Button>
        }
      >
        The address may be mistyped, or what it named is gone.
      </Empty>
    </Page>
  );
}
