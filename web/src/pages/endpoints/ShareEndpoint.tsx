import type { Endpoint } from "~/api/client";
import { sharingOfEndpoint } from "~/api/shares";
import { ShareDialog } from "~/sharing/ShareDialog";

type ShareProps = { endpoint: Endpoint; onClose: () => void };

export default function ShareEndpoint({ endpoint, onClose }: ShareProps) {
  return (
    <ShareDialog
      title={`Share the profile of ${endpoint.name}`}
      about="They see what the machine is: its partitions, limits, and what is free. With that they connect an agent of their own there. Nobody runs anything as you, and your accounts and folders stay yours."
      name={endpoint.id}
      sharing={sharingOfEndpoint(endpoint.name)}
      onClose={onClose}
    />
  );
}
