import { expect, test } from "vitest";
import { linksAsCsv } from "./invitationCsv";

test("links are written as a table that a mail merge reads", () => {
  const invited = [{ email: 'o"hara@example.edu', url: "https://d/?invitation=x" }];
  expect(linksAsCsv(invited)).toBe(
    'email,link\r\n"o""hara@example.edu","https://d/?invitation=x"\r\n',
  );
});
