// A text as it looks: a page shows several blanks as one, and some characters not at all.

export const asSeen = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
