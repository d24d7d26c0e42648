import {
  Alert,
  Button,
  Card,
  Group,
  List,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from "@mantine/core";
import { IconAlertTriangle, IconCloudOff, type TablerIcon } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { ProblemError, UnreachableError } from "~/api/client";
import { MessageText } from "./MessageText";

const SignInAgain = lazy(() => import("~/people/SignInAgain"));
const FIXED_BY_SIGN_IN = ["fresh-sign-in", "mfa-needed"];

type QueryResultProps<T> = {
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch" | "isPending">;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

/** What a query gave; while there is nothing yet its loading look, and its failed look when it was refused. */
export function QueryResult<T>({
  query,
  loading = <SkeletonLines />,
  children,
}: QueryResultProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  return <div aria-busy="true">{loading}</div>;
}

export function SkeletonLines({ count = 5, height = 28 }: { count?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={n} height={height} radius="sm" />
      ))}
    </Stack>
  );
}

/** An error as the service said it: title, hint, and each fault with its field. */
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

/** Where the way out is a sign-in, the button that leads to it. */
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

type EmptyStateProps = {
  icon: TablerIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
};

/** Nothing here yet: what would be, and the next step. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Card py={48}>
      <Stack align="center" gap="sm">
        <ThemeIcon size={48} radius="xl" variant="light" color="gray">
          <Icon size={26} stroke={1.5} aria-hidden />
        </ThemeIcon>
        <Title order={2} ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center" maw={460} size="sm" component="div">
            {children}
          </Text>
        )}
        {action && <Group mt="xs">{action}</Group>}
      </Stack>
    </Card>
  );
}
