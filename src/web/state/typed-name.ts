/** Whether somebody has typed a user name to confirm what cannot be undone. Case makes no difference between names, which are ASCII. */
export function isSameName(typed: string, username: string): boolean {
  return typed.trim().toLowerCase() === username.toLowerCase()
}
