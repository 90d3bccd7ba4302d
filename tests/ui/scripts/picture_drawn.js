() => {
  PICTURE
  return [...(source?.data.label ?? [])]
}
