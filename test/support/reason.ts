/** What a promise rejects with. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing went wrong')
}
