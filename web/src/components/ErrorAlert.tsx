import { Alert, Button, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCloudOff } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { ProblemError, UnreachableError } from "~/api/client";
import { MessageText } from "./MessageText";

const SignInAgain = lazy(() => import("~/people/SignInAgain"));
const FIXED_BY_SIGN_IN = ["fresh-sign-in", "mfa-needed"];

/** Details of an error from the service: hint, and each fault with its field. */
export function ProblemDetails({ error }: { error: Error }) {
  const faults = error instanceof ProblemError ? error.faults : [];
  return (
    <Stack gap={4}>
      {faults.length > 0 && (
        <List size="sm" spacing={4}>
          {faults.map((fault) => (
            <List.Item key={`${fault.field} ${fault.message}`}>
              <Text size="sm" span fw={600} ff="monospace">
                {fault.field}
              </Text>{" "}
              <MessageText text={fault.message} />{" "}
              {fault.hint && (
                <Text span c="dimmed">
                  <MessageText text={fault.hint} />
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      )}
      {hintOf(error) && (
        <Text size="sm">
          <MessageText text={hintOf(error)} />
        </Text>
      )}
      <SignInRemedy error={error} />
    </Stack>
  );
}

/** A sign-in button, where signing in again fixes the error. */
export function SignInRemedy({ error }: { error: Error }) {
  const isNeeded = error instanceof ProblemError && FIXED_BY_SIGN_IN.includes(error.code);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}

export function hintOf(error: Error): string {
  return error instanceof ProblemError || error instanceof UnreachableError ? error.hint : "";
}

export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const isUnreachable = error instanceof UnreachableError;
  const Icon = isUnreachable ? IconCloudOff : IconAlertTriangle;
  return (
    <Alert
      color={isUnreachable ? "gray" : "red"}
      icon={<Icon />}
      title={<MessageText text={error.message} />}
    >
      <Stack gap="sm" align="flex-start">
        <ProblemDetails error={error} />
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
