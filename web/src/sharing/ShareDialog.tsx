import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Holder, Sharing } from "~/api/shares";
import { Answer, Failed, Lines } from "~/components/Answer";
import { useDeed } from "~/components/useDeed";
import { Everyone } from "./Everyone";
import { Holders } from "./Holders";
import { WithPerson } from "./WithPerson";
import { WithProject } from "./WithProject";

type DialogProps = {
  title: string;
  /** What those see with whom it is shared. */
  about: string;
  /** Names the thing in the cache. */
  name: string;
  sharing: Sharing;
  onClose: () => void;
  children?: ReactNode;
};

/** With whom a thing is shared: people, projects, or everybody of this Diamond; for reading. */
export function ShareDialog({ title, about, name, sharing, onClose, children }: DialogProps) {
  const queryKey = ["shares", name];
  const query = useQuery({ queryKey, queryFn: sharing.list });
  const add = useDeed({
    by: (kind: Holder, id: string) => sharing.add(kind, id),
    renews: [queryKey],
  });
  const stop = useDeed({
    by: (kind: Holder, id: string) => sharing.stop(kind, id),
    renews: [queryKey],
  });
  const error = add.error ?? stop.error;
  const isBusy = add.isPending || stop.isPending;
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm">{about}</Text>
        {children}
        <Answer query={query} loading={<Lines count={3} height={34} />}>
          {({ items }) => (
            <>
              <WithPerson
                isBusy={isBusy}
                onAdd={(address) => add.mutateAsync(["person", address])}
              />
              <WithProject shares={items} onAdd={(id) => add.run("project", id)} />
              <Everyone
                isOn={items.some((one) => one.with_kind === "everyone")}
                isBusy={isBusy}
                onChange={(on) => (on ? add : stop).run("everyone", "")}
              />
              {error && <Failed error={error} />}
              <Holders shares={items} onStop={(one) => stop.run(one.with_kind, one.with_id)} />
            </>
          )}
        </Answer>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
