import { Alert, Button, Stack } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { useReconnected } from "~/live/hooks";
import { ErrorAlert } from "./ErrorAlert";

const LOAD_FAILURE = /preload CSS|dynamically imported module|importing a module/i;

/** Shown instead of a page that crashed or could not be loaded. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const cause = error instanceof Error ? error : new Error(String(error));
  if (LOAD_FAILURE.test(cause.message)) return <PageNotLoaded />;
  return <ErrorAlert error={cause} onRetry={reset} />;
}

/** The service is unreachable, or was upgraded and now has other files. Reloads once it responds. */
function PageNotLoaded() {
  useReconnected(() => location.reload());
  return (
    <Alert color="gray" icon={<IconCloudOff />} title="This part of the page could not be loaded">
      <Stack gap="sm" align="flex-start">
        It loads automatically as soon as Diamond responds.
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Stack>
    </Alert>
  );
}
