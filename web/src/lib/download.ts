/** Offer something as a file download. */
export function downloadUrl(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

export function downloadText(name: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  downloadUrl(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
