import { type Image, imageName } from "~/api/images";
import { sharingOfImage } from "~/api/shares";
import { ShareDialog } from "~/sharing/ShareDialog";

export default function ShareImage({ image, onClose }: { image: Image; onClose: () => void }) {
  return (
    <ShareDialog
      title={`Share ${imageName(image)}`}
      about="They see what is in it and how it was built, and run their own jobs in it: whoever uses it gets an entry of her own."
      name={image.id}
      sharing={sharingOfImage(image.id)}
      onClose={onClose}
    />
  );
}
