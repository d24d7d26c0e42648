/** Hand something to the person as a file. */
export function save(name: string, address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

export function saveText(name: string, text: string, type = "text/csv"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  save(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
