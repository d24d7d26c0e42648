import { notifications } from "@mantine/notifications";
import { hintOf, SignInRemedy } from "./ErrorAlert";
import { MessageText } from "./MessageText";

/** A short confirmation in the corner. */
export function showSuccess(message: string): void {
  notifications.show({ message, color: "teal", autoClose: 4_000 });
}

/** An error in the corner, with its hint. Stays until closed. */
export function showError(error: Error): void {
  notifications.show({
    title: <MessageText text={error.message} />,
    message: (
      <>
        <MessageText text={hintOf(error)} />
        <SignInRemedy error={error} />
      </>
    ),
    color: "red",
    autoClose: false,
  });
}
