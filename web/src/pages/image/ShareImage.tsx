import { type Image, imageName } from "~/images/api";
import { imageSharing } from "~/sharing/api";
import { ShareDialog } from "~/sharing/ShareDialog";

export default function ShareImage({ image, onClose }: { image: Image; onClose: () => void }) {
  return (
    <ShareDialog
      title={`Share ${imageName(image)}`}
      about="Others can see what is in the image and how it was built, and can use it in their own jobs."
      name={image.id}
      sharing={imageSharing(image.id)}
      onClose={onClose}
    />
  );
}
