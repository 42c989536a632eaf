/** The pages of a program, as the frame of each page names them. */
export interface Site {
  /** Name of the program. */
  readonly title: string;
  /** Links of the navigation, in order. */
  readonly links: readonly SiteLink[];
}

export interface SiteLink {
  readonly path: string;
  readonly label: string;
}
