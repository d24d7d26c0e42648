import { expect, test } from "vitest";
import { openInvitations } from "./openInvitations";

const invitation = { email: "", role: "member", created: 0, expires: 100, used: null, used_by: "" };

test("used, old and other projects' invitations are not open", () => {
  const sent = [
    { ...invitation, id: "open", project: "p1" },
    { ...invitation, id: "used", project: "p1", used: 5, used_by: "u1" },
    { ...invitation, id: "old", project: "p1", expires: 10 },
    { ...invitation, id: "other", project: "p2" },
  ];
  expect(openInvitations(sent, "p1", 50).map(({ id }) => id)).toEqual(["open"]);
});
