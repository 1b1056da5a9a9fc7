/** Whether somebody has typed a user name to confirm what cannot be undone. Names differ by more than their case (protocol.md section 3). */
export function isSameName(typed: string, username: string): boolean {
  return typed.trim().toLowerCase() === username.toLowerCase()
}
