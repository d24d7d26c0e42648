const BLOCK = 512;

/** A tar with one member, as `POST /blobs` expects it: header, content, padding, two empty blocks. */
export function tarOf(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil(content.length / BLOCK);
  const tar = new Uint8Array(BLOCK * (1 + blocks + 2));
  tar.set(headerOf(name, content.length));
  tar.set(content, BLOCK);
  return tar;
}

/** The checksum is computed with spaces in its own field. */
function headerOf(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const write = (text: string, at: number) => header.set(new TextEncoder().encode(text), at);
  write(name, 0);
  write("0000644\0", 100);
  write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  write("00000000000\0", 136);
  write("        0", 148);
  write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
