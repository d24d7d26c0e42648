import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from "@mantine/core";
import {
  IconDots,
  IconPencil,
  IconRefresh,
  IconStar,
  IconTrash,
  IconUpload,
  IconUsersPlus,
  IconZoomScan,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useState } from "react";
import type { Endpoint } from "~/api/client";
import { meQuery } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { ask, useDeed } from "./actions";

const ShareEndpoint = lazy(() => import("./ShareEndpoint"));

type Dialog = "share" | "rename" | "remove" | null;

/** What can be done with an endpoint. What is not allowed is refused by the service, in its words. */
export function EndpointMenu({ endpoint }: { endpoint: Endpoint }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const { name } = endpoint;
  const { data: me } = useQuery(meQuery);
  const probe = useDeed({ by: ask.probe, done: "It looks around now; the profile follows." });
  const upgrade = useDeed({ by: ask.upgrade, done: "It fetches the newer agent now." });
  const makeDefault = useDeed({
    by: () => ask.change(name, { default: true }),
    done: `Jobs that do not say where go to ${name} now.`,
  });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More about ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Item icon={IconRefresh} onClick={() => probe.run(name, false)}>
            Probe again
          </Item>
          <Item icon={IconZoomScan} onClick={() => probe.run(name, true)}>
            Probe a compute node too (runs a short job)
          </Item>
          {!endpoint.default && (
            <Item icon={IconStar} onClick={() => makeDefault.run()}>
              Make it the default
            </Item>
          )}
          <Item icon={IconUpload} onClick={() => upgrade.run(name)}>
            Upgrade the agent ({endpoint.agent_version || "not there yet"})
          </Item>
          {me?.mode === "shared" && (
            <Item icon={IconUsersPlus} onClick={() => setDialog("share")}>
              Share its profile…
            </Item>
          )}
          <Menu.Divider />
          <Item icon={IconPencil} onClick={() => setDialog("rename")}>
            Rename…
          </Item>
          <Item icon={IconTrash} c="var(--mantine-color-error)" onClick={() => setDialog("remove")}>
            Remove…
          </Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === "share" && (
          <ShareEndpoint endpoint={endpoint} onClose={() => setDialog(null)} />
        )}
      </Suspense>
      {dialog === "rename" && <Rename endpoint={endpoint} onClose={() => setDialog(null)} />}
      {dialog === "remove" && <Remove endpoint={endpoint} onClose={() => setDialog(null)} />}
    </>
  );
}

type ItemProps = {
  icon: typeof IconDots;
  c?: string;
  onClick: () => void;
  children: React.ReactNode;
};

function Item({ icon: Icon, children, ...props }: ItemProps) {
  return (
    <Menu.Item leftSection={<Icon size={16} stroke={1.6} aria-hidden />} {...props}>
      {children}
    </Menu.Item>
  );
}

type DialogProps = { endpoint: Endpoint; onClose: () => void };

function Rename({ endpoint, onClose }: DialogProps) {
  const [name, setName] = useState(endpoint.name);
  const navigate = useNavigate();
  const rename = useDeed({
    by: () => ask.change(endpoint.name, { name }),
    quiet: true,
    onDone: (changed) => {
      onClose();
      void navigate({ to: "/endpoints/$name", params: { name: changed.name } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.run();
  };
  return (
    <Modal opened onClose={onClose} title={`Rename ${endpoint.name}`}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="New name"
            description="Tasks that ran there show the new name too."
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {rename.error && <Failed error={rename.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Remove({ endpoint, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useDeed({
    by: () => ask.remove(endpoint.name),
    quiet: true,
    done: `${endpoint.name} is removed.`,
    onDone: () => void navigate({ to: "/endpoints" }),
  });
  return (
    <Modal opened onClose={onClose} title={`Remove ${endpoint.name}?`}>
      <Stack>
        <Text size="sm">
          Diamond will no longer send jobs there. What ran there stays in your list of tasks, with
          its logs and metrics. Nothing is deleted on the machine itself.
        </Text>
        {remove.error && <Failed error={remove.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.run()}>
            Remove {endpoint.name}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
