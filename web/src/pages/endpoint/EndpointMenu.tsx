import { ActionIcon, Menu, Text } from "@mantine/core";
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
import { lazy, Suspense, useState } from "react";
import type { Endpoint } from "~/api/client";
import { FormDialog } from "~/components/FormDialog";
import { MenuItem } from "~/components/MenuItem";
import { RenameDialog } from "~/components/RenameDialog";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import { meQuery } from "~/people/me";

const ShareEndpoint = lazy(() => import("./ShareEndpoint"));

type Dialog = "share" | "rename" | "remove" | null;

/** Actions on an endpoint. The service rejects what is not allowed. */
export function EndpointMenu({ endpoint }: { endpoint: Endpoint }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const { name } = endpoint;
  const { data: me } = useQuery(meQuery);
  const probe = useEndpointAction({
    call: endpointsApi.probe,
    success: "Probing. The profile updates in a moment.",
  });
  const upgrade = useEndpointAction({
    call: endpointsApi.upgrade,
    success: "Upgrading the agent.",
  });
  const makeDefault = useEndpointAction({
    call: () => endpointsApi.change(name, { default: true }),
    success: `${name} is now the default endpoint.`,
  });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`Actions for ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItem icon={IconRefresh} onClick={() => probe.run(name, false)}>
            Probe again
          </MenuItem>
          <MenuItem icon={IconZoomScan} onClick={() => probe.run(name, true)}>
            Probe a compute node too (runs a short job)
          </MenuItem>
          {!endpoint.default && (
            <MenuItem icon={IconStar} onClick={() => makeDefault.run()}>
              Make default
            </MenuItem>
          )}
          <MenuItem icon={IconUpload} onClick={() => upgrade.run(name)}>
            Upgrade the agent ({endpoint.agent_version || "not installed"})
          </MenuItem>
          {me?.mode === "shared" && (
            <MenuItem icon={IconUsersPlus} onClick={() => setDialog("share")}>
              Share profile…
            </MenuItem>
          )}
          <Menu.Divider />
          <MenuItem icon={IconPencil} onClick={() => setDialog("rename")}>
            Rename…
          </MenuItem>
          <MenuItem icon={IconTrash} danger onClick={() => setDialog("remove")}>
            Remove…
          </MenuItem>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === "share" && (
          <ShareEndpoint endpoint={endpoint} onClose={() => setDialog(null)} />
        )}
      </Suspense>
      {dialog === "rename" && (
        <RenameEndpoint endpoint={endpoint} onClose={() => setDialog(null)} />
      )}
      {dialog === "remove" && (
        <RemoveEndpoint endpoint={endpoint} onClose={() => setDialog(null)} />
      )}
    </>
  );
}

type DialogProps = { endpoint: Endpoint; onClose: () => void };

function RenameEndpoint({ endpoint, onClose }: DialogProps) {
  const [name, setName] = useState(endpoint.name);
  const navigate = useNavigate();
  const rename = useEndpointAction({
    call: () => endpointsApi.change(endpoint.name, { name }),
    ownErrorDisplay: true,
    onSuccess: (changed) => {
      onClose();
      void navigate({ to: "/endpoints/$name", params: { name: changed.name } });
    },
  });
  return (
    <RenameDialog
      title={`Rename ${endpoint.name}`}
      description="Earlier tasks show the new name too."
      name={name}
      onName={setName}
      action={rename}
      onClose={onClose}
    />
  );
}

function RemoveEndpoint({ endpoint, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useEndpointAction({
    call: () => endpointsApi.remove(endpoint.name),
    ownErrorDisplay: true,
    success: `${endpoint.name} removed.`,
    onSuccess: () => void navigate({ to: "/endpoints" }),
  });
  return (
    <FormDialog
      title={`Remove ${endpoint.name}?`}
      submitLabel={`Remove ${endpoint.name}`}
      cancelLabel="Cancel"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        Diamond will no longer send jobs there. Earlier tasks stay in your list with their logs and
        metrics. Nothing is deleted on the machine itself.
      </Text>
    </FormDialog>
  );
}
