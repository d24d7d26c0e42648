import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { useAction } from "~/components/useAction";
import type { Recipient, Sharing } from "./api";
import { SharedWithList } from "./SharedWithList";
import { ShareWithEveryone } from "./ShareWithEveryone";
import { ShareWithPerson } from "./ShareWithPerson";
import { ShareWithProject } from "./ShareWithProject";

type DialogProps = {
  title: string;
  /** What recipients can see. */
  about: string;
  /** Identifies the item in the query cache. */
  name: string;
  sharing: Sharing;
  onClose: () => void;
  children?: ReactNode;
};

/** Shares an item for reading with people, projects, or everyone on this Diamond. */
export function ShareDialog({ title, about, name, sharing, onClose, children }: DialogProps) {
  const queryKey = ["shares", name];
  const query = useQuery({ queryKey, queryFn: sharing.list });
  const add = useAction({
    call: (kind: Recipient, id: string) => sharing.add(kind, id),
    refresh: [queryKey],
  });
  const stop = useAction({
    call: (kind: Recipient, id: string) => sharing.stop(kind, id),
    refresh: [queryKey],
  });
  const error = add.error ?? stop.error;
  const isBusy = add.isPending || stop.isPending;
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm">{about}</Text>
        {children}
        <QueryResult query={query} loading={<SkeletonLines count={3} height={34} />}>
          {({ items }) => (
            <>
              <ShareWithPerson
                isBusy={isBusy}
                onAdd={(address) => add.mutateAsync(["person", address])}
              />
              <ShareWithProject shares={items} onAdd={(id) => add.run("project", id)} />
              <ShareWithEveryone
                isOn={items.some((share) => share.with_kind === "everyone")}
                isBusy={isBusy}
                onChange={(on) => (on ? add : stop).run("everyone", "")}
              />
              {error && <ErrorAlert error={error} />}
              <SharedWithList
                shares={items}
                onStop={(share) => stop.run(share.with_kind, share.with_id)}
              />
            </>
          )}
        </QueryResult>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
