import { fetchRaw, type Schemas } from "~/api/client";
import { tarOf } from "~/lib/tar";

export type AttachedFile = Partial<Schemas["EnvironmentFileSpec"]> & { to: string };

const MAX_INLINE_BYTES = 64 * 1024;

/** A file for the image: short text inline, anything else uploaded and named by its digest. */
export async function attachFile(file: Blob, to: string): Promise<AttachedFile> {
  const content = new Uint8Array(await file.arrayBuffer());
  const text = content.length <= MAX_INLINE_BYTES ? textOf(content) : null;
  return text === null ? { to, digest: await upload(content) } : { to, text };
}

function textOf(content: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

async function upload(content: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!globalThis.crypto?.subtle) {
    throw new Error(
      "Your browser can upload this file only over https. Use `diamond image build` instead.",
    );
  }
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  const hex = [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "Content-Type": "application/x-tar" };
  await fetchRaw("/api/v1/blobs", { method: "POST", headers, body: tarOf(hex, content) });
  return `sha256:${hex}`;
}
