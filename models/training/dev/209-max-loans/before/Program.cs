using Lending.Models;
using Lending.Services;

var builder = WebApplication.CreateBuilder(args);

builder.Services.AddControllers();
builder.Services.AddSingleton<FineCalculator>();
builder.Services.AddScoped<LoanService>();

var app = builder.Build();

app.UseHttpsRedirection();
app.MapControllers();

app.Run();
