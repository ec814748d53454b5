"""The pages: all streams of the user, and one stream with its tabs. They work without the assistant too."""
from asgiref.sync import async_to_sync
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import modelform_factory
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from chat.exceptions import ActionFailure
from examples.research.models import Keyword, Source, Stream
from examples.research.streams import run_stream, streams_for

TABS = {"setup": ("sources", "keywords"), "executions": ("report",)}
StreamForm = modelform_factory(Stream, fields=["name", "purpose"])
SETUP_FORMS = {
    "sources": modelform_factory(Source, fields=["name", "query"]),
    "keywords": modelform_factory(Keyword, fields=["name"]),
}


@login_required
def streams(request: HttpRequest) -> HttpResponse:
    """List the user's streams, or create one."""
    form = StreamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.instance.owner = request.user
        return redirect("stream", form.save().pk)
    context = {
        "streams": streams_for(request.user),
        "chat_page": "streams",
        "chat_subject": "Your streams",
        "chat_hello": "Ask about your streams",
        "chat_hello_text": "Or describe what you want to follow.",
        "chat_placeholder": "Ask, or describe a stream",
    }
    return render(request, "research/streams.html", context)


@login_required
def stream(request: HttpRequest, stream_id: int) -> HttpResponse:
    """Render a stream. `tab`, `subtab` and `execution` are query parameters."""
    stream = get_object_or_404(streams_for(request.user), pk=stream_id)
    tab = request.GET.get("tab", "setup")
    subtab = request.GET.get("subtab", "sources" if tab == "setup" else "")
    if tab not in TABS or (subtab and subtab not in TABS[tab]):
        raise Http404
    execution = None
    if subtab == "report":
        number = request.GET.get("execution", "")
        execution = get_object_or_404(stream.executions, pk=int(number[:18]) if number.isdecimal() else 0)
    context = {
        "stream": stream,
        "tab": tab,
        "subtab": subtab,
        "execution": execution,
        "entries": getattr(stream, subtab).all() if tab == "setup" else [],
        "chat_page": "stream",
        "chat_object_id": str(stream.pk),
        "chat_subject": stream.name,
        "chat_hello": "Ask about this stream",
        "chat_placeholder": "Ask about this stream",
    }
    return render(request, "research/stream.html", context)


@login_required
@require_POST
def change_setup(request: HttpRequest, stream_id: int, kind: str) -> HttpResponse:
    """Add a source or a keyword, or remove the one whose id is `remove`."""
    stream = get_object_or_404(streams_for(request.user), pk=stream_id)
    if kind not in SETUP_FORMS:
        raise Http404
    form = SETUP_FORMS[kind](request.POST, instance=getattr(stream, kind).model(stream=stream))
    number = request.POST.get("remove", "")
    if number.isdecimal():
        getattr(stream, kind).filter(pk=int(number[:18])).delete()
    elif not form.is_valid():
        messages.error(request, "Fill in all fields.")
    elif getattr(stream, kind).filter(name=form.instance.name).exists():
        messages.error(request, f"This stream has “{form.instance.name}” already.")
    else:
        form.save()
    return redirect(f"{reverse('stream', args=[stream.pk])}?tab=setup&subtab={kind}")


@login_required
@require_POST
def run(request: HttpRequest, stream_id: int) -> HttpResponse:
    """Run the stream and show the report."""
    get_object_or_404(streams_for(request.user), pk=stream_id)
    page = f"{reverse('stream', args=[stream_id])}?tab=executions"
    try:
        execution = async_to_sync(run_stream)(request.user, stream_id)
    except ActionFailure as error:
        messages.error(request, str(error))
        return redirect(page)
    return redirect(f"{page}&subtab=report&execution={execution.pk}")
