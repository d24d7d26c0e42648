import type { Endpoint } from "~/api/client";
import { endpointSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";

type ShareProps = { endpoint: Endpoint; onClose: () => void };

export default function ShareEndpoint({ endpoint, onClose }: ShareProps) {
  return (
    <ShareDialog
      title={`Share the profile of ${endpoint.name}`}
      about="Others can see the machine's partitions, limits and free resources, and can connect their own agent there. Nobody can run anything as you; your accounts and folders stay private."
      name={endpoint.id}
      sharing={endpointSharing(endpoint.name)}
      onClose={onClose}
    />
  );
}
