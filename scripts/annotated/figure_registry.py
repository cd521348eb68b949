"""The figures of the page by their names, which the documents use."""

FIGURES = {}  # name: a function from Sources to HTML


def figure(function):
    """Registers a figure under the name of its function."""
    FIGURES[function.__name__] = function
    return function


def captioned(body, caption):
    return f"<figure>{body}<figcaption>{caption}</figcaption></figure>"
