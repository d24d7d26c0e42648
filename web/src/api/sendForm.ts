import type { UploadState } from "~/lib/transfer";
import { problemOf, UnreachableError } from "./client";

/** Posts a form and reports how much was sent; `fetch` cannot tell. */
export function sendForm(
  path: string,
  form: FormData,
  onProgress: (progress: UploadState) => void,
): Promise<unknown> {
  const since = Date.now();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total, since });
    request.onerror = () => reject(new UnreachableError());
    request.onload = () => {
      const ok = request.status >= 200 && request.status < 300;
      const answer = new Response(request.responseText, {
        status: request.status,
        statusText: request.statusText,
      });
      if (ok) resolve(JSON.parse(request.responseText));
      else void problemOf(answer).then(reject);
    };
    request.open("POST", path);
    request.send(form);
  });
}
