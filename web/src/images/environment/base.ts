/** The kinds of base an image can have. The service validates the value. */
export const BASE_KINDS = [
  {
    value: "registry",
    label: "From a registry",
    help: "A published image, for example on Docker Hub. The tag is resolved to a digest, so the base never changes unnoticed.",
    example: "docker://ubuntu:24.04",
    begins: "docker://",
  },
  {
    value: "mine",
    label: "One of my images",
    help: "Builds on top of an image you already have; nothing is rebuilt.",
    example: "",
    begins: "image:",
  },
  {
    value: "file",
    label: "A file on the endpoint",
    help: "sif: for Apptainer files, oci-archive: or docker-archive: for archives, rootfs: for a tar of a root file system.",
    example: "sif:/shared/images/base.sif",
    begins: "",
  },
  {
    value: "none",
    label: "No container",
    help: "A virtual environment with the machine's own Python. Quick, but without system packages. Build commands run as you, in the environment's folder.",
    example: "",
    begins: "",
  },
] as const;

export type BaseKind = (typeof BASE_KINDS)[number]["value"];

const FILES = /^(sif|oci-archive|docker-archive|rootfs):/;

/** The kind that a base is written as. */
export function baseKind(base: string): BaseKind {
  if (!base) return "none";
  if (base.startsWith("image:")) return "mine";
  return FILES.test(base) || base.startsWith("/") ? "file" : "registry";
}

/** Common bases to suggest. */
export const USUAL_BASES = [
  "docker://ubuntu:24.04",
  "docker://python:3.12-slim",
  "docker://pytorch/pytorch:latest",
  "docker://tensorflow/tensorflow:latest",
  "docker://rockylinux:9",
];
