interface Named {
  readonly id: string
  readonly caption: string
}

/** What a person calls a device; its id where it has no name, or is not there any more. */
export function captionOf(id: string, devices: readonly Named[] | undefined): string {
  const caption = devices?.find((device) => device.id === id)?.caption.trim() ?? ''
  return caption === '' ? id : caption
}
