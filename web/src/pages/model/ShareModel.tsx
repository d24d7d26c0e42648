import type { Model } from "~/models/api";
import { modelSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";

export default function ShareModel({ model, onClose }: { model: Model; onClose: () => void }) {
  return (
    <ShareDialog
      title={`Share ${model.name}`}
      about="Others can read its card, see its versions and download them."
      name={model.id}
      sharing={modelSharing(model.id)}
      onClose={onClose}
    />
  );
}
