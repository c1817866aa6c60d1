import type { ComponentChildren } from "preact";

/** A line drawing on a grid of 16; what it means stands beside it or in the label of its button. */
const icon = (drawing: ComponentChildren) => () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    {drawing}
  </svg>
);

export const OverviewIcon = icon(<path d="M2 13.5h12M4 11V8.5M8 11V3M12 11V6" />);
export const OnlineIcon = icon(
  <>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.8 13.2c.4-2.4 2-3.7 4.2-3.7s3.8 1.3 4.2 3.7M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.8c1.3.5 2.1 1.7 2.3 3.4" />
  </>,
);
export const EventsIcon = icon(<path d="M1.5 8.5h2.7l2-5.5 3.3 10 2-4.5h3" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.3" />
    <path d="m10.3 10.3 3.7 3.7" />
  </>,
);
export const LightIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
  </>,
);
export const DarkIcon = icon(<path d="M13.5 9.7A6 6 0 0 1 6.3 2.5a6 6 0 1 0 7.2 7.2Z" />);
export const SystemIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 2v12a6 6 0 0 0 0-12Z" fill="currentColor" />
  </>,
);
export const SignOutIcon = icon(<path d="M6.5 2.5h-3a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h3M10.5 11l3-3-3-3M13.2 8H6.5" />);
export const WarningIcon = icon(<path d="M8 2 1.5 13.5h13L8 2ZM8 6.5v3.3M8 11.7v.1" />);
export const PauseIcon = icon(<path d="M5.5 3.5v9M10.5 3.5v9" />);
export const PlayIcon = icon(<path d="M5 3.2v9.6L12.5 8 5 3.2Z" />);
export const UpIcon = icon(<path d="M8 13V3.5M4 7l4-4 4 4" />);
export const DownIcon = icon(<path d="M8 3v9.5M4 9l4 4 4-4" />);
export const BackIcon = icon(<path d="M10 3 5 8l5 5" />);
export const ReloadIcon = icon(<path d="M13.5 8a5.5 5.5 0 1 1-1.8-4.1M13.5 2v3h-3" />);
export const FilterIcon = icon(<path d="M2.5 4.5h11M4.5 8h7M6.5 11.5h3" />);
export const CheckIcon = icon(<path d="m3.5 8.5 3 3 6-7" />);
