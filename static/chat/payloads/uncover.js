// On a phone the chat lies over the page: it steps aside so that a proposal can be seen.

export function uncover() {
  const tray = document.getElementById("tray");
  if (tray?.matches(":popover-open")) tray.hidePopover();
}
